"""Prints how good the answers of the address search are."""

import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from addressfit.cases import REPORT_SEEDS, TRAINING_SEEDS, Bools, Candidates, candidates_of, resolved, trials
from addressfit.fit import FITTED, WRONG_COST, Answers, Doubles, answers, brier, fit, reachable_share, sure_and_right
from addressfit.indexes import Region, index_of
from land.addresses.confidence import MIN_PROBABILITY
from land.addresses.model import AddressQuery
from land.addresses.resolver import resolve

FAMILIES = {
    "damaged texts": ("damaged_",), "texts around": ("text_",), "foreign words": ("foreign_",),
    "numbers beside": ("beside_", "decimal", "spoken"),
    "counting words": ("count_words",), "lists": ("list_sign",), "glued": ("all_joined",),
    "slips": ("slip", "typo", "ocr"), "sound": ("sound", "phonetic"), "districts": ("district",),
    "separate fields": ("fields", "structured"), "unknown streets": ("none_", "negative"),
    "street types": ("type_", "no_type"), "missing words": ("word_missing", "dropped", "last_word"),
    "extra words": ("extra_", "word_repeated"), "suffixes": ("suffix",), "numbers": ("number", "missing_number"),
    "postcodes": ("postcode_s", "postcode_c", "postcode_t", "postcode_w", "postcode_g", "postcode_b", "cedex",
                  "wrong_postcode", "glued_postcode"),
    "cities": ("city_m", "city_s", "city_a", "city_f_", "city_former", "city_postal", "city_repeated", "locality"),
    "surroundings": ("noise_", "odd_", "encoded"),
    "abbreviations": ("abbrev", "initial"), "joined and split": ("join", "split", "glued"),
    "small words": ("small_word",), "swapped words": ("swapped",), "figures": ("figures", "digits_letters"),
    "order": ("",),
}  # fmt: skip
"""Parts of the names of forms. Fitting leaves out a family as a whole; the first that fits is the form's family."""
BINS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)
ODD_TEXTS = 10_000


def family_of(form: str) -> str:
    return next(name for name, parts in FAMILIES.items() if any(part in form for part in parts))


def report(cases: Sequence[Candidates]) -> None:
    """Prints what the service answers."""
    table: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    left_out: dict[str, Counter[str]] = defaultdict(Counter)
    reachable: dict[str, list[tuple[bool, float]]] = defaultdict(list)
    measured = answers(cases, np.array(FITTED))
    right, street = measured.right(MIN_PROBABILITY), measured.right_street(MIN_PROBABILITY)
    for i, case in enumerate(cases):
        if case.is_left_out:
            left_out[case.region].update(cases=1, refused=bool(right[i]))
            continue
        reachable[case.region].append((bool(right[i]), reachable_share(case)))
        for name in (case.region, "all"):
            total = f"ALL, {'with number' if case.form.endswith('/number') else 'street only'}"
            for form in (case.form, f"FAMILY {family_of(case.form)}", total):
                table[form][name].update(cases=1, street=bool(street[i]), full=bool(right[i]))
    print_table(table, sorted({case.region for case in cases}))
    for name, shares in reachable.items():
        ours, best = (100 * sum(values) / len(shares) for values in zip(*shares, strict=True))
        ambiguous = sum(share < 1 for _, share in shares)
        print(f"{name}: {ours:.1f} % right, at most {best:.1f} %: {ambiguous} of {len(shares)} cases are ambiguous")
    for name, counts in left_out.items():
        share = 100 * counts["refused"] / counts["cases"]
        print(f"left-out streets refused, {name}: {share:.1f} % of {counts['cases']}")
    is_given = measured.is_given(MIN_PROBABILITY)
    print_reliability(measured.score[is_given], (measured.is_right & measured.is_known)[is_given])


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
        print(f"{form:46} {every['cases']:6} {shares}  {''.join(cells)}")


def _share(counts: Counter[str], name: str) -> float:
    return 100 * counts[name] / max(1, counts["cases"])


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
    training = [case for region in chosen for case in candidates_of(region, TRAINING_SEEDS, per_form)]
    testing = [case for region in chosen for case in candidates_of(region, REPORT_SEEDS, per_form)]
    start = fit(training)
    without_form: list[Answers] = []
    without_family: list[Answers] = []
    columns = ("cases", "seen", "unseen", "refused", "Brier")
    print(f"{'left out of the fit':46} " + " ".join(f"{name:>7}" for name in columns) + "  right at 0.9 or more")
    for family in FAMILIES:
        tested = [case for case in testing if family_of(case.form) == family]
        with_family, parts = answers(tested, start), []
        for form in sorted({_name(case.form) for case in tested}):
            weights = fit([case for case in training if _name(case.form) != form], start)
            of_form = [case for case in tested if _name(case.form) == form]
            parts.append((of_form, answers(of_form, weights)))
            _print_unseen(f"  {form}", of_form, answers(of_form, start), parts[-1][1])
        if not parts:
            continue
        joined = Answers.joined([measured for _, measured in parts])
        without_form.append(joined)
        ordered = [case for of_form, _ in parts for case in of_form]
        _print_unseen(f"{family}, each form", ordered, answers(ordered, start), joined)
        weights = fit([case for case in training if family_of(case.form) != family], start)
        without_family.append(answers(tested, weights))
        _print_unseen(f"{family}, the family", tested, with_family, without_family[-1])
    for name, groups in (("forms", without_form), ("families", without_family)):
        everything = Answers.joined(groups)
        is_given = everything.is_given(MIN_PROBABILITY)
        print(f"\nunseen {name}: {100 * everything.right(MIN_PROBABILITY).mean():.2f} % right, with unknown streets")
        print_reliability(everything.score[is_given], (everything.is_right & everything.is_known)[is_given])
    for region in chosen if len(chosen) > 1 else ():
        tested = [case for case in testing if case.region == region.name]
        weights = fit([case for case in training if case.region != region.name], start)
        _print_unseen(region.name, tested, answers(tested, start), answers(tested, weights))


def _name(form: str) -> str:
    """Returns the form without /number or /street."""
    return form.split("/", maxsplit=1)[0]


def _print_unseen(name: str, tested: Sequence[Candidates], fitted: Answers, unfitted: Answers) -> None:
    is_left_out = np.array([case.is_left_out for case in tested])
    is_known = ~is_left_out
    right, right_fitted = unfitted.right(MIN_PROBABILITY), fitted.right(MIN_PROBABILITY)
    refused = f"{100 * right[is_left_out].mean():7.1f}" if is_left_out.any() else f"{'-':>7}"
    count, share = sure_and_right(unfitted, MIN_PROBABILITY)
    print(
        f"{name:46} {is_known.sum():7} {100 * right_fitted[is_known].mean():7.1f} {100 * right[is_known].mean():7.1f}"
        f" {refused} {brier(unfitted, MIN_PROBABILITY):7.4f}  {100 * share:6.2f} % of {count}"
    )


def threshold(chosen: Sequence[Region], per_form: int) -> None:
    training = [case for region in chosen for case in candidates_of(region, TRAINING_SEEDS, per_form)]
    testing = [case for region in chosen for case in candidates_of(region, REPORT_SEEDS, per_form)]
    measured = answers(testing, fit(training))
    left_out = np.array([case.is_left_out for case in testing])
    print(f"A wrong answer costs as much as {WRONG_COST:g} missing ones.")
    print(f"{'threshold':>9} {'cost':>8} {'right %':>8} {'wrong %':>8} {'none %':>7} {'refused %':>10}")
    for percent in range(30, 100, 5):
        limit = percent / 100
        is_given, right = measured.is_given(limit), measured.right(limit)
        wrong, none = (is_given & ~right)[~left_out], (~is_given & measured.is_known)[~left_out]
        print(
            f"{limit:9.2f} {measured.cost(limit):8.4f} {100 * right[~left_out].mean():8.2f} {100 * wrong.mean():8.2f}"
            f" {100 * none.mean():7.2f} {100 * right[left_out].mean():10.1f}"
        )


def misses(chosen: Sequence[Region], per_form: int, only: Sequence[str], shown: int) -> None:
    for region in chosen:
        missed: Counter[str] = Counter()
        for trial, index in trials(region, REPORT_SEEDS, per_form, only=only, with_left_out=False):
            addresses = resolved(trial, index)
            if trial.judge_answer(addresses[0] if addresses else None)[1]:
                continue
            missed[trial.form] += 1
            if missed[trial.form] <= shown:
                expected = trial.case["expected"]
                number = expected.get("numbers", [expected.get("number", "")])[0]
                answer = f"{addresses[0].score} {addresses[0].label}" if addresses else "404"
                typed = trial.case["input"].get("label") or trial.case["input"]
                print(f"{region.name:9} {trial.form}\n    typed    {typed!r}")
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
