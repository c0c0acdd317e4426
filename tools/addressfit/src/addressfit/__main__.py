"""Fits the weights of `land.addresses.confidence`, and measures the quality of address resolution.

    python -m addressfit fit         fits the weights on the training seeds and writes land's file of weights
    python -m addressfit report      prints the accuracy by form, and the calibration, on other seeds
    python -m addressfit unseen      the same for forms and regions that fitting did not see
    python -m addressfit threshold   prints the cost of answers for each threshold
    python -m addressfit misses FORM prints the wrong answers of a form
    python -m addressfit worst       prints the times of 10,000 odd texts and the slowest of them

The cases are real addresses with errors, as forms.py makes them. LAND_TEST_DATA has the addresses of Paris. For other
regions, run `bench/fictional_regions.py NAME --to var/address-regions/NAME --communes 400`.
A second index of each region omits one street in twenty and is queried for these streets.
"""

import argparse
import sys

from addressfit import reports
from addressfit.cases import REPORT_SEEDS, TRAINING_SEEDS, candidates_of
from addressfit.fit import WEIGHTS_FILE, fit, weights_module
from addressfit.indexes import regions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("fit", "report", "unseen", "threshold", "misses", "worst"))
    parser.add_argument("forms", nargs="*", help="for report and misses: these forms, or all")
    parser.add_argument("--regions", default="", help="comma-separated; all if omitted")
    parser.add_argument("--per-form", type=int, default=20, help="cases per form, region and seed")
    parser.add_argument("--shown", type=int, default=8, help="for misses: examples per region")
    options = parser.parse_args()
    by_name = regions()
    names = options.regions.split(",") if options.regions else list(by_name)
    if unknown := [name for name in names if name not in by_name]:
        sys.exit(f"no file of addresses for {', '.join(unknown)}: there are {', '.join(by_name)}")
    chosen = [by_name[name] for name in names]
    per_form = options.per_form
    match options.command:
        case "fit":
            cases = [case for region in chosen for case in candidates_of(region, TRAINING_SEEDS, per_form)]
            WEIGHTS_FILE.write_text(weights_module(fit(cases)), encoding="utf-8")
            print(f"{len(cases)} cases")
        case "report":
            groups = (candidates_of(region, REPORT_SEEDS, per_form, options.forms) for region in chosen)
            reports.report([case for cases in groups for case in cases])
        case "unseen":
            reports.unseen(chosen, per_form)
        case "threshold":
            reports.threshold(chosen, per_form)
        case "misses":
            reports.misses(chosen, per_form, options.forms, options.shown)
        case "worst":
            reports.worst(chosen[0])


if __name__ == "__main__":
    main()
