"""Measures the quality of address resolution, and fits the weights of `land.addresses.confidence`.

    python bench/address_quality.py fit         fits the weights on the training seeds and prints them
    python bench/address_quality.py report      prints the accuracy by form, and the calibration, on other seeds
    python bench/address_quality.py unseen      the same for forms and regions that fitting did not see
    python bench/address_quality.py threshold   prints the cost of answers for each threshold
    python bench/address_quality.py misses FORM prints the wrong answers of a form
    python bench/address_quality.py worst       prints the times of 10,000 odd texts and the slowest of them

The cases are real addresses with errors, from the address harness (folder ADDRESS_SUITE) and from address_forms.py.
LAND_TEST_DATA has the addresses of Paris. For other regions, run
`land demo --to var/address-regions/NAME --no-load --region NAME --communes 400`.
A second index of each region omits one street in twenty and is queried for these streets.
"""

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from address_answers import REPORT_SEEDS, TRAINING_SEEDS, Bools, Found, asked_with_index, found, resolved
from address_fit import WRONG_COST, Answers, Doubles, answers, brier, fit, named, sure_and_right
from address_indexes import Region, index_of, regions

from land.addresses.confidence import WEIGHTS
from land.addresses.model import AddressQuery
from land.addresses.resolver import MIN_PROBABILITY, resolve

FAMILIES = {
    "slips": ("slip", "typo", "ocr"), "sound": ("sound", "phonetic"), "districts": ("district",),
    "separate fields": ("fields", "structured"), "unknown streets": ("none_", "negative"),
    "street types": ("type_", "no_type"), "missing words": ("word_missing", "dropped", "last_word"),
    "extra words": ("extra_", "word_repeated"), "suffixes": ("suffix",), "numbers": ("number", "missing_number"),
    "postcodes": ("postcode_s", "postcode_c", "postcode_t", "postcode_w", "postcode_g", "postcode_b", "cedex",
                  "wrong_postcode", "glued_postcode"),
    "cities": ("city_m", "city_s", "city_a", "city_f_", "city_former", "city_postal", "city_repeated", "locality"),
    "surroundings": ("noise_", "odd_", "encoded", ":noise"),
    "abbreviations": ("abbrev", "initial"), "joined and split": ("join", "split", "glued"),
    "small words": ("small_word",), "swapped words": ("swapped",), "figures": ("figures", "digits_letters"),
    "order": ("",),
}  # fmt: skip
"""Parts of the names of forms. Fitting leaves out a family as a whole; the first that fits is the form's family."""
BINS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)
ODD_TEXTS = 10_000


def family_of(form: str) -> str:
    return next(name for name, parts in FAMILIES.items() if any(part in form for part in parts))


def report(items: Sequence[Found]) -> None:
    """What the service answers."""
    table: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    left_out: dict[str, Counter[str]] = defaultdict(Counter)
    got = answers(items, np.array(WEIGHTS))
    right, street = got.right(MIN_PROBABILITY), got.right_street(MIN_PROBABILITY)
    for place, item in enumerate(items):
        if item.is_left_out:
            left_out[f"{item.region}, {'noise.py' if item.form.startswith('noise:') else 'forms'}"].update(
                asked=1, refused=bool(right[place])
            )
            continue
        for name in (item.region, "all"):
            for form in (item.form, f"FAMILY {family_of(item.form)}", _total(item.form)):
                table[form][name].update(asked=1, street=bool(street[place]), full=bool(right[place]))
    print_table(table, sorted({item.region for item in items}))
    for name, counts in left_out.items():
        share = 100 * counts["refused"] / counts["asked"]
        print(f"left-out streets refused, {name}: {share:.1f} % of {counts['asked']}")
    given = got.given(MIN_PROBABILITY)
    print_reliability(got.score[given], (got.is_right & got.is_known)[given])


def _total(form: str) -> str:
    if form.startswith("noise:"):
        return "ALL noise.py"
    return "ALL forms, " + ("with number" if form.endswith("/number") else "street only")


def print_table(table: dict[str, dict[str, Counter[str]]], names: Sequence[str]) -> None:
    """Right streets and right addresses by form and region, the worst form first."""
    print(f"{'form':46} {'cases':>6} {'street':>7} {'whole':>7}  whole, by region")
    print(" " * 71 + "".join(f"{name[:9]:>10}" for name in names))
    ordered = sorted(
        table.items(), key=lambda item: (item[0].startswith(("ALL", "FAMILY")), _share(item[1]["all"], "full"))
    )
    for form, by_region in ordered:
        every = by_region["all"]
        shares = " ".join(f"{_share(every, name):7.1f}" for name in ("street", "full"))
        cells = (f"{_share(by_region[name], 'full'):10.1f}" if by_region[name] else f"{'-':>10}" for name in names)
        print(f"{form:46} {every['asked']:6} {shares}  {''.join(cells)}")


def _share(counts: Counter[str], name: str) -> float:
    return 100 * counts[name] / max(1, counts["asked"])


def print_reliability(scores: Doubles, right: Bools) -> None:
    print(f"\n{'score':>14} {'answers':>8} {'mean score':>11} {'right':>8}")
    for low, high in pairwise(BINS):
        inside = (scores >= low) & (scores < high)
        if inside.any():
            count, mean, share = inside.sum(), scores[inside].mean(), right[inside].mean()
            print(f"{low:5.2f} to {min(high, 1):5.2f} {count:8} {mean:11.3f} {share:8.4f}")
    sure = scores >= 0.9
    print(f"Brier score {((scores - right) ** 2).mean():.4f} of {len(scores)} answers")
    print(f"right with score 0.9 or more: {100 * right[sure].mean():.2f} % of {sure.sum()}")


def unseen(chosen: Sequence[Region], per_form: int) -> None:
    """Fits without each form, without each family of forms and without each region, and measures what was left out."""
    training = [item for region in chosen for item in found(region, TRAINING_SEEDS, per_form)]
    testing = [item for region in chosen for item in found(region, REPORT_SEEDS, per_form)]
    start = fit(training)
    without_form: list[Answers] = []
    without_family: list[Answers] = []
    columns = ("cases", "seen", "unseen", "refused", "Brier")
    print(f"{'left out of the fit':46} " + " ".join(f"{name:>7}" for name in columns) + "  right at 0.9 or more")
    for family in FAMILIES:
        tested = [item for item in testing if family_of(item.form) == family]
        seen, parts = answers(tested, start), []
        for form in sorted({_name(item.form) for item in tested}):
            weights = fit([item for item in training if _name(item.form) != form], start)
            of_form = [item for item in tested if _name(item.form) == form]
            parts.append((of_form, answers(of_form, weights)))
            _print_unseen(f"  {form}", of_form, answers(of_form, start), parts[-1][1])
        if not parts:
            continue
        joined = Answers.joined([got for _, got in parts])
        without_form.append(joined)
        ordered = [item for of_form, _ in parts for item in of_form]
        _print_unseen(f"{family}, each form", ordered, answers(ordered, start), joined)
        weights = fit([item for item in training if family_of(item.form) != family], start)
        without_family.append(answers(tested, weights))
        _print_unseen(f"{family}, the family", tested, seen, without_family[-1])
    for name, groups in (("forms", without_form), ("families", without_family)):
        everything = Answers.joined(groups)
        given = everything.given(MIN_PROBABILITY)
        print(f"\nunseen {name}: {100 * everything.right(MIN_PROBABILITY).mean():.2f} % right, with unknown streets")
        print_reliability(everything.score[given], (everything.is_right & everything.is_known)[given])
    for region in chosen if len(chosen) > 1 else ():
        tested = [item for item in testing if item.region == region.name]
        weights = fit([item for item in training if item.region != region.name], start)
        _print_unseen(region.name, tested, answers(tested, start), answers(tested, weights))


def _name(form: str) -> str:
    """Without /number or /street."""
    return form.split("/", maxsplit=1)[0]


def _print_unseen(name: str, tested: Sequence[Found], seen: Answers, got: Answers) -> None:
    is_left_out = np.array([item.is_left_out for item in tested])
    known = ~is_left_out
    right, right_seen = got.right(MIN_PROBABILITY), seen.right(MIN_PROBABILITY)
    refused = f"{100 * right[is_left_out].mean():7.1f}" if is_left_out.any() else f"{'-':>7}"
    count, share = sure_and_right(got, MIN_PROBABILITY)
    print(
        f"{name:46} {known.sum():7} {100 * right_seen[known].mean():7.1f} {100 * right[known].mean():7.1f}"
        f" {refused} {brier(got, MIN_PROBABILITY):7.4f}  {100 * share:6.2f} % of {count}"
    )


def threshold(chosen: Sequence[Region], per_form: int) -> None:
    training = [item for region in chosen for item in found(region, TRAINING_SEEDS, per_form)]
    testing = [item for region in chosen for item in found(region, REPORT_SEEDS, per_form)]
    got = answers(testing, fit(training))
    left_out = np.array([item.is_left_out for item in testing])
    print(f"A wrong answer costs as much as {WRONG_COST:g} missing ones.")
    print(f"{'threshold':>9} {'cost':>8} {'right %':>8} {'wrong %':>8} {'none %':>7} {'refused %':>10}")
    for percent in range(30, 100, 5):
        limit = percent / 100
        given, right = got.given(limit), got.right(limit)
        wrong, none = (given & ~right)[~left_out], (~given & got.is_known)[~left_out]
        print(
            f"{limit:9.2f} {got.cost(limit):8.4f} {100 * right[~left_out].mean():8.2f} {100 * wrong.mean():8.2f}"
            f" {100 * none.mean():7.2f} {100 * right[left_out].mean():10.1f}"
        )


def misses(chosen: Sequence[Region], per_form: int, only: Sequence[str], shown: int) -> None:
    for region in chosen:
        missed: Counter[str] = Counter()
        for asked, index in asked_with_index(region, REPORT_SEEDS, per_form, only=only, with_left_out=False):
            got = resolved(asked, index)
            if asked.judge_answer(got[0] if got else None)[1]:
                continue
            missed[asked.form] += 1
            if missed[asked.form] <= shown:
                expected = asked.case["expected"]
                number = expected.get("numbers", [expected.get("number", "")])[0]
                answer = f"{got[0].score} {got[0].label}" if got else "404"
                typed = asked.case["input"].get("label") or asked.case["input"]
                print(f"{region.name:9} {asked.form}\n    typed    {typed!r}")
                print(f"    expected {number} {expected.get('street')} {expected['postcode']} {expected['city']}")
                print(f"    answer   {answer}")
        print("\n".join(f"{region.name}: {count} misses of {form}" for form, count in missed.items()))


def odd_texts(rows: Sequence[dict[str, str]]) -> Iterator[str]:
    """Texts up to the maximum length of a query: random Unicode, and address words."""
    chance = random.Random(1)  # noqa: S311 (a sample, no secret)
    words = sorted({word for row in rows for word in (*row["street"].split(), row["postcode"], row["number"])})
    words += ["Paris", "Paris 18e", "CEDEX", "BP 12", "bis", "rue", "place", "saint", "de la", "12-14", "Bât B"]
    words += ["75", "("]
    ranges = ((32, 127), (160, 0x2FFF), (0x3000, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF))
    for i in range(ODD_TEXTS):
        if i % 2:
            yield "".join(chr(chance.randrange(*chance.choice(ranges))) for _ in range(chance.choice((8, 64, 512))))
        else:
            yield " ".join(chance.choices(words, k=chance.choice((2, 4, 8, 16, 60))))[:512]


def worst(region: Region) -> None:
    rows = [{"street": row.street, "postcode": row.postcode, "number": row.number} for row in region.directory.rows]
    times: list[tuple[float, str]] = []
    with index_of(region) as index:
        for text in odd_texts(rows):
            started = time.process_time()
            resolve(AddressQuery(label=text), index)
            times.append(((time.process_time() - started) * 1000, text))
    times.sort()
    figures = {
        name: times[int(share * (len(times) - 1))][0] for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
    }
    print(f"{len(times)} odd texts, ms of processor: " + ", ".join(f"{name} {v:.1f}" for name, v in figures.items()))
    for milliseconds, text in times[-5:]:
        print(f"{milliseconds:8.1f}  {text[:160]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("fit", "report", "unseen", "threshold", "misses", "worst"))
    parser.add_argument("forms", nargs="*", help="for report and misses: these forms or kinds (noise:typo1), or all")
    parser.add_argument("--regions", default="", help="comma-separated; all if omitted")
    parser.add_argument("--per-form", type=int, default=20, help="cases per form, region and seed")
    parser.add_argument("--shown", type=int, default=8, help="for misses: examples per region")
    options = parser.parse_args()
    known = regions()
    if unknown := [name for name in options.regions.split(",") if name and name not in known]:
        sys.exit(f"no file of addresses for {', '.join(unknown)}: there are {', '.join(known)}")
    chosen = [region for name, region in known.items() if not options.regions or name in options.regions.split(",")]
    match options.command:
        case "fit":
            items = [item for region in chosen for item in found(region, TRAINING_SEEDS, options.per_form)]
            weights = fit(items)
            print(f"{len(items)} cases\n{named(weights)}")
        case "report":
            report([item for region in chosen for item in found(region, REPORT_SEEDS, options.per_form, options.forms)])
        case "unseen":
            unseen(chosen, options.per_form)
        case "threshold":
            threshold(chosen, options.per_form)
        case "misses":
            misses(chosen, options.per_form, options.forms, options.shown)
        case "worst":
            worst(chosen[0])


if __name__ == "__main__":
    main()
