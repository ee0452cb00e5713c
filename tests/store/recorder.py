"""A hunt without the hunting: records trials until it is killed.

Prints the index of each trial after it is committed.
"""

import sys

from assay.store import open_store
from tests.factories import make_arrays, make_finding


def main() -> None:
    """Record trials from where the campaign stands."""
    url, config_hash = sys.argv[1:]
    with open_store(url, create=False) as store:
        campaign = store.find_campaign(config_hash)
        assert campaign is not None
        print(f"from {campaign.next_trial}", flush=True)
        index = campaign.next_trial
        while True:
            # A new finding in most trials, an old one in all.
            findings = [
                (make_finding(index - index % 3, trial=index), make_arrays(index, size=5000)),
                (make_finding("old"), make_arrays()),
            ]
            store.record_trial(campaign.id, index, findings, {"trials": index + 1}, index / 10)
            print(index, flush=True)
            index += 1


if __name__ == "__main__":
    main()
