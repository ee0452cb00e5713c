"""What is asked of ``mutate``: the table of a file, --models, the preset, and what is resumed."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.campaign.hunt.presets import with_variant
from assay.campaign.hunt.request import (
    Request,
    newest_unfinished,
    with_defaults,
    with_models,
)
from assay.config import Config, MutateConfig, load
from assay.errors import AssayError
from assay.ir import to_plain
from assay.store import open_store

CAMPAIGN: dict[str, Any] = {"techniques": ["mutate"], "targets": ["keras-numpy"]}


def audee(**settings: object) -> Request:
    own = MutateConfig(**settings) if settings else None  # type: ignore[arg-type]
    return with_variant(Request(mutation=own), "audee", unit=False)


def test_the_preset_has_the_published_numbers_and_ends_after_all_variants() -> None:
    request = audee()
    mutation = request.mutation
    assert mutation is not None
    assert (request.techniques, request.preset) == (("mutate",), "audee")
    assert (mutation.variants, mutation.searched, mutation.inputs) == (500, 20, 10_000)
    assert len(mutation.models) == 7
    assert "transformer" not in mutation.models
    assert (mutation.full, mutation.published, mutation.layers) == (True, True, 0)
    assert request.cases == 3500


def test_settings_of_a_file_win_over_the_preset() -> None:
    request = audee(variants=10, models=("gru",))
    assert request.mutation is not None
    assert (request.mutation.variants, request.mutation.inputs) == (10, 10_000)
    assert request.cases == 10
    limited = with_variant(Request(budget_seconds=60.0), "audee", unit=False)
    assert limited.cases is None


def test_the_table_of_a_file_is_read_and_checked(tmp_path: Path) -> None:
    file = tmp_path / "assay.toml"
    file.write_text('[mutate]\nmodels = ["gru"]\npopulation = 8\nparents = 2\n', encoding="utf-8")
    request = with_defaults(Request(), load(str(file)))
    assert request.mutation == MutateConfig(models=("gru",), population=8, parents=2)
    assert with_defaults(Request(), Config()).mutation is None
    file.write_text("[mutate]\npopulation = 0\n", encoding="utf-8")
    with pytest.raises(AssayError, match=r"assay\.toml: mutate\.population must be at least 2"):
        with_defaults(Request(), load(str(file)))
    file.write_text("[mutate]\npopulatoin = 9\n", encoding="utf-8")
    with pytest.raises(AssayError, match='line 2: mutate has unknown key "populatoin"'):
        load(str(file))


def test_models_are_those_of_mutate() -> None:
    request = Request(techniques=("mutate",), mutation=MutateConfig(population=8, parents=2))
    expected = MutateConfig(models=("gru",), population=8, parents=2)
    assert with_models(request, ("gru",), None) == expected
    assert with_models(request, (), None) is request.mutation
    assert with_models(Request(), ("gru",), "audee") == MutateConfig(models=("gru",))
    with pytest.raises(AssayError, match="--models are those of mutate"):
        with_models(Request(), ("gru",), None)
    with pytest.raises(AssayError, match='unknown model "lenet"'):
        with_models(request, ("lenet",), None)


def test_a_campaign_is_resumed_with_the_settings_it_had(tmp_path: Path) -> None:
    url = str(tmp_path / "assay.db")
    own = MutateConfig(models=("gru",), population=8, parents=2)
    with open_store(url) as store:
        store.start_campaign(seed=1, config={**CAMPAIGN, "mutate": to_plain(own)}, versions={})
    given = msgspec.structs.replace(own, population=99)
    request, _ = newest_unfinished(Request(resume=True, mutation=given), url)
    assert request.mutation == own
