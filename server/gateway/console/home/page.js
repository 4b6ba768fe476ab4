// What the parts of the start page share.
export const element = id => document.getElementById(id);
export const show = (id, isShown) => {
  element(id).hidden = !isShown;
};

/** Sets a text only if it differs: a live region is announced again at every change. */
export function write(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}

// Longer than the server takes for any request. A connection may be cut without a sign, for example while the machine sleeps.
const callWithin = 15_000;

function unreachable() {
  throw Object.assign(new Error("the server cannot be reached"), { status: 0 });
}

/** The body of the response. An error has status (0 without a response), code, problem and retryAfter in seconds. */
export async function call(path, options = {}) {
  const headers = { "x-kenri-csrf": "1", ...options.headers };
  const response = await fetch(path, { ...options, headers, signal: AbortSignal.timeout(callWithin) }).catch(unreachable);
  if (response.ok) return response.status === 204 ? undefined : response.json().catch(unreachable);
  const problem = await response.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? `the server answered ${response.status}`), {
    status: response.status,
    code: problem.code,
    problem,
    retryAfter: Number(response.headers.get("retry-after") ?? 0),
  });
}

export const post = (path, body) =>
  call(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** Whether the session has ended or the account is suspended. Then the page starts again. */
export const isSignedOut = ({ status, code }) => status === 401 || code === "ACCOUNT_INACTIVE";

export const shortId = id => (id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);

export function trouble(error) {
  element("trouble").textContent = error.message;
  show("trouble", true);
}
