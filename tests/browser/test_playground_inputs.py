"""Inputs of the playground that help: suggestions for an address, and a file of lines."""

import io
import json
import re
from pathlib import Path

import openpyxl
import pytest
from playwright.sync_api import expect

from playground_page import Open

pytestmark = pytest.mark.browser

ADDRESS = "1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction"


def test_an_address_is_suggested_while_it_is_typed(playground: Open) -> None:
    playground_page = playground()
    page = playground_page.page
    playground_page.show_to_people()
    field = page.get_by_role("combobox", name="Address, parcel or commune")
    with page.expect_request(lambda request: "suggest?q=imp" in request.url):
        field.fill("imp egl")
    suggested = page.get_by_role("option", name="Impasse de l'Église, 00100 Exempleville-sur-Fiction")
    expect(suggested).to_be_visible()
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(suggested).to_have_attribute("data-combobox-selected", "true")
    field.press("Enter")
    expect(field).to_have_value("Impasse de l'Église, 00100 Exempleville-sur-Fiction")
    expect(suggested).to_be_hidden()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Impasse de l'Église, 00100 Exempleville-sur-Fiction: no parcel")


def test_a_file_with_other_columns_is_answered_line_by_line_and_saved(playground: Open, tmp_path: Path) -> None:
    playground_page = playground()
    page = playground_page.page
    playground_page.show_to_people()
    page.get_by_text("Answer a file of addresses or land").click()
    file = tmp_path / "customers.csv"
    lines = ("Référence;Bien;Notes", 'a;1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction;"à; b"', "b;;", "c;Rue")
    file.write_bytes("\n".join(lines).encode("cp1252"))  # as a spreadsheet writes it
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("region", name="First lines").get_by_role("cell", name="à; b")).to_be_visible()
    expect(page.get_by_role("combobox", name="Reference", exact=True)).to_have_value("0")
    page.get_by_role("combobox", name="Whole address", exact=True).select_option("Bien")
    without_address = page.get_by_role("region", name="First lines").get_by_text("Give at least one address field")
    expect(without_address).to_have_count(1)  # the first lines are read again, and move what is below
    page.get_by_role("button", name="Send the file").click()
    expect(page.get_by_test_id("lines")).to_have_text("3 of 3 lines, 2 of them failed")
    expect(page.get_by_role("region", name="Result", exact=True).get_by_role("status")).to_have_text("Done")
    errors = page.get_by_role("region", name="Lines that failed")
    for error in ("2 Give at least one address field", "3 The line has 2 cells, the header 3"):
        expect(errors.get_by_role("row", name=re.compile(f"^{error}.* invalid_payload$"))).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the result").click()
    assert download.value.suggested_filename == "addresses.csv"
    head, *rows = download.value.path().read_bytes().decode("utf-8").splitlines()
    assert head.startswith("\ufeffRéférence;Bien;Notes;line;id;status;"), "as spreadsheets read it"
    assert rows[0].startswith(f"{lines[1]};1;a;200;;;;")
    assert rows[1].startswith("b;;;2;b;400;invalid_payload;")
    assert rows[2].startswith("c;Rue;;3;"), "a short row keeps its place"
    playground_page.look("file")
    page.get_by_role("radiogroup", name="What the file holds").get_by_text("Land", exact=True).click()
    file = tmp_path / "land.ndjson"
    label = "1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction"
    file.write_text(f'{{"Ref": 7, "place": {{"Adresse": "{label}"}}}}\n{{"Lot": "?"}}\n')
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("combobox", name="Whole address", exact=True)).to_have_value("1")
    page.get_by_role("combobox", name="Parcels", exact=True).select_option("Lot")
    with page.expect_request("**/land-units/batch") as sent:
        page.get_by_role("button", name="Send the file").click()
    assert [json.loads(line) for line in (sent.value.post_data or "").splitlines()] == [
        {"id": 7, "address": {"label": label}},
        {"parcel_ids": ["?"]},
    ]
    expect(page.get_by_test_id("lines")).to_have_text("2 of 2 lines, 1 of them failed")


def test_a_workbook_shows_its_faults_first_and_comes_back_with_its_own_columns(
    playground: Open, tmp_path: Path
) -> None:
    playground_page = playground()
    page = playground_page.page
    playground_page.show_to_people()
    page.get_by_text("Answer a file of addresses or land").click()
    book = openpyxl.Workbook()
    for row in (("Dossier", "Adresse", "Prix"), ("a", ADDRESS, 12.5), ("b", None, 3), ("c", "Rue", None)):
        book.worksheets[0].append(row)
    file = tmp_path / "clients.xlsx"
    book.save(file)
    page.locator("input[type=file]").set_input_files(file)
    lines = page.get_by_role("region", name="First lines")
    expect(page.get_by_role("combobox", name="Whole address", exact=True)).to_have_value("1")
    expect(lines.get_by_role("row", name=re.compile("^b .*Give at least one address field"))).to_be_visible()
    expect(lines.get_by_role("row", name=re.compile(f"^a {ADDRESS} 12.5 –$"))).to_be_visible()
    playground_page.look("workbook")
    page.get_by_role("button", name="Send the file").click()
    expect(page.get_by_role("region", name="Result", exact=True).get_by_role("status")).to_have_text("Done")
    expect(page.get_by_test_id("lines")).to_have_text("Lines: 3. The file says which ones failed, and why.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the result").click()
    assert download.value.suggested_filename == "addresses.xlsx"
    head, first, second, _ = (
        openpyxl.load_workbook(io.BytesIO(download.value.path().read_bytes())).worksheets[0].iter_rows(values_only=True)
    )
    assert head[:6] == ("Dossier", "Adresse", "Prix", "line", "id", "status")
    assert first[:6] == ("a", ADDRESS, 12.5, 1, None, 200)
    assert dict(zip(head, first, strict=True))["parcel_ids"] == "00001000AA0001"
    assert second[:7] == ("b", None, 3, 2, None, 400, "invalid_payload")
