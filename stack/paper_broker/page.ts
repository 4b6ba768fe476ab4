import { createHash } from "node:crypto";
import type { BookRow, Totals } from "./book.ts";
import type { Faults } from "./faults.ts";
import { faultsForm } from "./faults_form.ts";
import type { Answer } from "./http.ts";
import { pageStyle } from "./page_style.ts";

const pageLength = 50;

export interface PageFacts {
  readonly summary: Totals & { readonly at_once: number; readonly most_at_once: number };
  readonly faults: Faults;
  /** Only rows with a lower number. */
  readonly before: number;
  readonly rows: (before: number, limit: number) => BookRow[];
}

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** The book for people, without a script. */
export function bookPage({ summary, faults, before, rows }: PageFacts): Answer {
  const found = rows(before, pageLength + 1);
  const shown = found.slice(0, pageLength);
  const links = [
    before < Number.MAX_SAFE_INTEGER ? '<a href="/">Newest</a>' : '<a href="/">Refresh</a>',
    found.length > pageLength ? `<a href="/?before=${shown.at(-1)!.number}" rel="next">Older</a>` : "",
  ];
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Paper broker</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<h1>Paper broker</h1>
<p class="quiet">For development and tests: it executes every order that it gets, at a made-up price, and never compares keys.</p>
${alarm(summary.executed_twice)}
${counts(summary)}
${faultsForm(faults)}
<section class="sheet">
<h2>Book, newest first</h2>
${shown.length === 0 ? "<p>No orders.</p>" : table(shown)}
<nav aria-label="Pages">${links.join("")}</nav>
</section>
</main>
</body>
</html>
`;
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy, "referrer-policy": "same-origin" };
  return { status: 200, headers, body };
}

function alarm(twice: number): string {
  if (twice === 0) return "";
  return `<p class="alarm" role="alert">Executed twice: ${twice} ${twice === 1 ? "order was" : "orders were"} executed more than once.</p>`;
}

function counts(summary: PageFacts["summary"]): string {
  const items: [name: string, value: number][] = [
    ["Orders", summary.orders],
    ["Executions", summary.executions],
    ["Executed twice", summary.executed_twice],
    ["Being worked on", summary.received],
    ["Rejected", summary.rejected],
    ["Requests at once", summary.at_once],
    ["Most at once", summary.most_at_once],
  ];
  return `<dl class="counts">${items.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("")}</dl>`;
}

const columns = ["Received", "Key", "Order", "State", "Price", "Executions", "Broker's id or reason"];

function table(rows: readonly BookRow[]): string {
  const heads = columns.map(name => `<th scope="col"${isNumber(name) ? ' class="number"' : ""}>${name}</th>`);
  return `<table><thead><tr>${heads.join("")}</tr></thead><tbody>${rows.map(tableRow).join("\n")}</tbody></table>`;
}

const isNumber = (column: string) => column === "Price" || column === "Executions";

function tableRow(row: BookRow): string {
  const limit = row.limit_price === null ? "" : ` at ${row.limit_price}`;
  const tag = row.client_tag === null ? "" : `<br><span class="quiet">${escaped(row.client_tag)}</span>`;
  const cells = [
    `<time datetime="${row.received_at}">${row.received_at.slice(0, 19).replace("T", " ")}</time>`,
    `<code>${escaped(row.key)}</code>`,
    `<span>${row.side} <span class="amount">${row.quantity}</span> <b>${escaped(row.symbol)}</b> ${row.order_type}${limit}${tag}</span>`,
    `<span class="state ${row.state}">${row.state}</span>`,
    `<span class="amount">${row.price ?? "–"}</span>`,
    row.executions > 1 ? `<span class="twice">${row.executions}</span>` : `<span>${row.executions}</span>`,
    `<code>${escaped(row.broker_order_id ?? row.reason_code ?? "–")}</code>`,
  ];
  const cell = (content: string, at: number) => {
    const name = columns[at]!;
    return `<td data-label="${name}"${isNumber(name) ? ' class="number"' : ""}>${content}</td>`;
  };
  return `<tr>${cells.map(cell).join("")}</tr>`;
}

function escaped(text: string): string {
  return Bun.escapeHTML(text);
}
