"""Catalogues of targets' libraries: made, kept, corrected."""

from assay.campaign.catalogues.aliases import aliases_of, same_as
from assay.campaign.catalogues.building import BuildProgress, build
from assay.campaign.catalogues.having import catalogue_of, check_harvest, installed_version
from assay.campaign.catalogues.measuring import measured

__all__ = [
    "BuildProgress",
    "aliases_of",
    "build",
    "catalogue_of",
    "check_harvest",
    "installed_version",
    "measured",
    "same_as",
]
