"""Catalogues of targets' libraries: made, kept, corrected."""

from assay.campaign.catalogues.building import BuildProgress, build
from assay.campaign.catalogues.having import catalogue_of, check_harvest, installed_version
from assay.campaign.catalogues.measuring import measured

__all__ = [
    "BuildProgress",
    "build",
    "catalogue_of",
    "check_harvest",
    "installed_version",
    "measured",
]
