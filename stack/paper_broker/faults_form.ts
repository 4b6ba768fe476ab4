import { type Faults, type Rate, rateMeanings } from "./faults.ts";

/** The present faults, and a form that sets others. */
export function faultsForm(faults: Faults): string {
  const present = Object.entries(faults).map(([name, value]) => `${name} = ${[value].flat().join("–")}`);
  const now = present.length === 0 ? "none" : Bun.escapeHTML(present.join(", "));
  const [from = "", to = from] = faults.delay_ms === undefined ? [] : [faults.delay_ms].flat();
  const rates = Object.entries(rateMeanings) as [Rate, string][];
  return `<section class="sheet">
<h2>Faults</h2>
<p${present.length > 0 ? ' class="notice"' : ""}>Now: ${now}. A restart ends all faults.</p>
<details>
<summary>Change the faults</summary>
<p class="quiet">Rates from 0 (never) to 1 (always). An empty field is no fault.</p>
<form class="faults" id="faults" method="post" action="/faults">
${rates.map(([name, meaning]) => field(name, meaning, faults[name], 'type="number" min="0" max="1" step="any"')).join("\n")}
${field("retry_after_s", "the Retry-After of 429, in seconds", faults.retry_after_s, 'type="number" min="0" step="1"')}
${field("delay_from", "the shortest time before the execution, in ms", from, 'type="number" min="0"')}
${field("delay_to", "the longest time before the execution, in ms", to, 'type="number" min="0"')}
${field("symbols", "only orders of these symbols", faults.symbols?.join(" "), 'type="text" spellcheck="false"')}
<label><b>asks_too</b><input type="checkbox" name="asks_too" value="yes"${faults.asks_too ? " checked" : ""}> drop_before, fail_503 and the delay concern questions about an order too</label>
</form>
<form id="none" method="post" action="/faults"></form>
<div class="buttons"><button form="faults">Set these faults</button><button form="none" class="plain">No faults</button></div>
</details>
</section>`;
}

function field(name: string, meaning: string, value: number | string | undefined, attributes: string): string {
  return `<label><b>${name}</b><input name="${name}" value="${Bun.escapeHTML(String(value ?? ""))}" ${attributes}> <span class="quiet">${meaning}</span></label>`;
}
