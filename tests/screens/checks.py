"""What every state must have: no horizontal scroll, no cut text, no serious violation of axe, French typography."""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

from browsing import untypeset, violations

_CUT = """() => {
  const shown = each => each.checkVisibility() && each.getBoundingClientRect().width > 1;
  const scrolls = each => {
    for (let frame = each.parentElement; frame; frame = frame.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(frame).overflowX)) return true;
    return false;
  };
  const found = [];
  for (const cell of document.querySelectorAll('td, th, [role=cell], [role=columnheader]')) {
    if (!shown(cell) || !cell.textContent.trim()) continue;
    const box = cell.getBoundingClientRect();
    if (box.right > innerWidth + 1 && !scrolls(cell))
      found.push(`cell outside: ${cell.textContent.trim().slice(0, 60)}`);
    for (const each of [cell, ...cell.querySelectorAll('*')]) {
      const hides = ['hidden', 'clip'].includes(getComputedStyle(each).overflowX) && each.clientWidth > 1;
      if (hides && shown(each) && each.scrollWidth > each.clientWidth + 1 && !each.closest('[title]'))
        found.push(`cell cut: ${each.textContent.trim().slice(0, 60)}`);
    }
  }
  for (const each of document.querySelectorAll('button, label, h1, h2, h3, dt, dd, legend, a')) {
    const style = getComputedStyle(each);
    if (shown(each) && style.textOverflow === 'ellipsis' && style.overflowX !== 'visible'
      && each.scrollWidth > each.clientWidth + 1 && !each.title)
      found.push(`text cut: ${each.textContent.trim().slice(0, 60)}`);
  }
  return [...new Set(found)];
}"""


def faults(page: Page) -> Iterator[str]:
    """One line for each fault of the state at this width and in this appearance."""
    wide, window = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    if wide > window:
        yield f"scrolls horizontally: {wide} px"
    yield from page.evaluate(_CUT)
    for text in untypeset(page):
        yield f"breaking space or decimal point: {text.strip()[:80]}"
    breaches: list[dict[str, Any]] = violations(page)
    for breach in breaches:
        first = breach["nodes"][0]
        why = " ".join(first["why"].split())
        yield f"axe {breach['rule']} in {len(breach['nodes'])} places: {first['html'][:160]}: {why}"
