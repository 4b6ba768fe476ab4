/** What the page reads of an OpenAPI document. */
export interface OpenapiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Field {
  readonly name: string;
  readonly where: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

const asText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

// The scheme stands at the root: the ground of the window is the root's, not the body's.
const style = `:root{color-scheme:light dark;--line:light-dark(#dfe2e8,#2d333c);--soft:light-dark(#4b5362,#aab2c0);--needed:light-dark(#a3160f,#ff8f86)}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem;background:light-dark(#fff,#0f1216);color:light-dark(#14171c,#e7eaef);overflow-wrap:anywhere}
a{color:light-dark(#2450c8,#8fb0ff)}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em}
h2{font-size:1rem;border-top:1px solid var(--line);margin:2rem 0 .25rem;padding-top:1rem}
p{margin:.25rem 0}.soft{color:var(--soft)}.needed{color:var(--needed);font-weight:600}
table{border-collapse:collapse;table-layout:fixed;width:100%;margin-top:.5rem;font-size:.9375rem}
thead th:nth-child(1){width:28%}thead th:nth-child(2){width:5rem}thead th:nth-child(3){width:18%}
th,td{padding:.25rem 1rem .25rem 0;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{border-top:0;font-weight:600;color:var(--soft)}tbody th{font-weight:400}
@media(max-width:40rem){thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}tr{display:block;border-top:1px solid var(--line);padding:.375rem 0}
th,td{display:block;border:0;padding:0}td.soft{display:inline}td.soft+td.soft:not(:empty)::before{content:" · "}}`;

/** For the page's policy: it may use this style and nothing else. */
export const styleHash = new Bun.CryptoHasher("sha256").update(style).digest("base64");

/** The document as a page for people: no script, nothing from elsewhere. */
export function openapiPage({ info, paths }: OpenapiDocument): string {
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(method, path, operation)),
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${asText(info.title)}</title>
<style>${style}</style></head><body><main>
<h1>${asText(info.title)}</h1><p>${asText(info.description)}</p>
<p class="soft">Fields marked <span class="needed">required</span> must be sent; all others may be left out. For programs: <a href="/openapi.json">/openapi.json</a></p>
${sections.join("")}</main></body></html>`;
}

function section(method: string, path: string, operation: Operation): string {
  const fields = fieldsOf(operation);
  const { summary = "", description = "" } = operation;
  const head = `<h2><code>${method.toUpperCase()} ${asText(path)}</code></h2><p>${asText(summary)}</p>`;
  const about = description ? `<p class="soft">${asText(description)}</p>` : "";
  const table = `<table><thead><tr><th scope="col">Field</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${fields.map(row).join("")}</tbody></table>`;
  return `<section>${head}${about}${fields.length > 0 ? table : ""}</section>`;
}

function fieldsOf({ parameters = [], requestBody }: Operation): Field[] {
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  return [
    ...parameters.map(({ name, in: where, required = false, schema = {} }) => ({ name, where, isRequired: required, schema })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      where: "body",
      isRequired: body?.required?.includes(name) ?? false,
      schema,
    })),
  ];
}

function row({ name, where, isRequired, schema }: Field): string {
  const mark = isRequired ? ' <span class="needed">required</span>' : "";
  const type = asText(typeOf(schema));
  return `<tr><th scope="row"><code>${asText(name)}</code>${mark}</th><td class="soft">${asText(where)}</td><td class="soft">${type}</td><td>${asText(schema.description ?? "")}</td></tr>`;
}

function typeOf({ type, const: only, enum: among, anyOf, items }: Schema): string {
  if (only !== undefined) return String(only);
  if (among) return among.join(" or ");
  if (anyOf) return anyOf.map(typeOf).join(" or ");
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  return typeof type === "object" ? type.join(" or ") : (type ?? "");
}
