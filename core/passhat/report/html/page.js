"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const form = byId("filters");
  if (!form) return;
  form.hidden = false;
  const cards = [...document.querySelectorAll(".trial")];
  const rows = [...document.querySelectorAll("#case-rows > tr")];
  const texts = new Map();
  const text = (node) => {
    if (!texts.has(node)) texts.set(node, node.textContent.toLowerCase());
    return texts.get(node);
  };
  const fields = ["level", "class", "tag"].map((name) => [name, byId(`filter-${name}`)]);
  const tags = (node) => (node.dataset.tag ? JSON.parse(node.dataset.tag) : []);
  const has = (node, name, wanted) =>
    name === "tag" ? tags(node).includes(wanted) : node.dataset[name] === wanted;
  const apply = () => {
    const words = byId("filter-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = fields.map(([name, field]) => [name, field ? field.value : ""]).filter(([, value]) => value);
    const kept = new Set();
    let shown = 0;
    for (const card of cards) {
      const fits =
        wanted.every(([name, value]) => has(card, name, value)) &&
        words.every((word) => text(card).includes(word));
      card.hidden = !fits;
      if (fits) { shown += 1; kept.add(card.dataset.row); }
    }
    const asked = words.length > 0 || wanted.length > 0;
    let cases = 0;
    for (const row of rows) {
      const only = wanted.every(([name, value]) => name === "tag" && has(row, name, value));
      const fits = !asked || kept.has(row.id) || (only && words.every((word) => text(row).includes(word)));
      row.hidden = !fits;
      if (fits) cases += 1;
    }
    byId("count").textContent = asked
      ? `${shown} of ${cards.length} failed runs and ${cases} of ${rows.length} cases shown`
      : "";
  };
  let waiting = 0;
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 80); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply, 0));
  const every = (open) => { for (const card of cards) if (!card.hidden) card.open = open; };
  byId("open-all").addEventListener("click", () => every(true));
  byId("close-all").addEventListener("click", () => every(false));
  const go = () => {
    const target = location.hash.length > 1 ? byId(location.hash.slice(1)) : null;
    const card = target && target.closest(".trial");
    if (!card) return;
    if (card.hidden) { form.reset(); apply(); }
    card.open = true;
    card.querySelector("summary").focus({ preventScroll: true });
    card.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", go);
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#t"]');
    if (link && link.getAttribute("href") === location.hash) go();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      byId("filter-text").focus();
    } else if (event.key === "Escape" && document.activeElement === byId("filter-text")) {
      form.reset();
    }
  });
  go();
})();
