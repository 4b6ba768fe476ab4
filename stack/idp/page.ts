import { createHash } from "node:crypto";
import type { ParameterizedContext } from "koa";
import { demoUsers } from "./users.ts";

const style = `
:root { color-scheme: light dark; --ground: #f3f1ec; --sheet: #fff; --ink: #22262b; --quiet: #5b636d; --line: #d5d2ca; --accent: #2f5d50; --on-accent: #fff; --wrong: #a3261b; --notice: #fdf3d6; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181b; --sheet: #1f2428; --ink: #e8e6e1; --quiet: #a3abb3; --line: #3b4248; --accent: #8fc9b6; --on-accent: #10231d; --wrong: #ff9d92; --notice: #3a3320; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 26rem; padding: 2rem 1.75rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.75rem 0 .25rem; font-size: .95rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9rem; }
.notice { padding: .5rem .75rem; background: var(--notice); border-radius: .4rem; font-size: .9rem; }
.wrong { padding: .5rem .75rem; border: 1px solid var(--wrong); border-radius: .4rem; color: var(--wrong); }
label { display: block; margin-bottom: .25rem; font-weight: 600; }
input { width: 100%; min-height: 2.75rem; margin-bottom: 1rem; padding: 0 .75rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--quiet); border-radius: .4rem; }
button { width: 100%; min-height: 2.75rem; margin-bottom: .5rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
ul { margin: 0; padding: 0; list-style: none; font-size: .9rem; }
li { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: .3rem 0; border-top: 1px solid var(--line); }
code { font: .9em ui-monospace, monospace; }
`;

/** Browsers apply `form-action` also to the redirects after a form, which lead to the client's callback. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "form-action 'self' http://127.0.0.1:* http://localhost:*",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export interface SignInFacts {
  action: string;
  username?: string;
  error?: string;
}

export function signInPage({ action, username = "", error }: SignInFacts): string {
  const described = error === undefined ? "" : ' aria-invalid="true" aria-describedby="wrong"';
  return `<h1>Sign in to Kenri</h1>
<p class="notice">For development only: these users and their passwords are known to everybody.</p>
${error === undefined ? "" : `<p class="wrong" id="wrong" role="alert">${escaped(error)}</p>`}
<form method="post" action="${escaped(action)}">
<label for="username">User</label>
<input id="username" name="username" value="${escaped(username)}" autocomplete="username" autocapitalize="none" spellcheck="false" required${described}${username === "" ? " autofocus" : ""}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${described}${username === "" ? "" : " autofocus"}>
<button type="submit">Sign in</button>
</form>
<h2 id="users">Demo users</h2>
<p class="quiet">The password is the user's name.</p>
<ul aria-labelledby="users">
${demoUsers.map(({ username, roles }) => `<li><code>${username}</code> <span class="quiet">${roles.join(", ") || "player"}</span></li>`).join("\n")}
</ul>`;
}

export function messagePage(title: string, text: string): string {
  return `<h1>${escaped(title)}</h1>\n<p>${escaped(text)}</p>\n<p class="quiet">Kenri's identity provider for development</p>`;
}

/** The library's own form expects these two buttons. */
export function signOutPage(form: string): string {
  return `<h1>Sign out?</h1>
<p>This ends the session with Kenri's identity provider for development.</p>
${form}
<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>
<button type="submit" form="op.logoutForm">Stay signed in</button>`;
}

export function show(context: ParameterizedContext, title: string, content: string): void {
  context.type = "html";
  context.set({
    "Content-Security-Policy": policy,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  context.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Kenri</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return Bun.escapeHTML(text);
}
