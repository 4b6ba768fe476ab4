import { until } from "../../stack/wait.ts";

/** The HTTP part of a browser: it keeps cookies by host and sends the origin of its requests. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  /** One request, no redirect followed. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Follows every redirect. Returns the last response and its URL. */
  visit(url: string, init?: RequestInit): Promise<{ response: Response; url: string }>;
  /** Signs in at a gateway through the identity provider's form. */
  signIn(gateway: string, username: string, returnTo?: string): Promise<{ response: Response; url: string }>;
  /** A request of a page of the gateway, with the header that its pages send. */
  call(gateway: string, path: string, init?: RequestInit): Promise<Response>;
  /** The same with JSON. */
  send(gateway: string, method: string, path: string, body?: unknown): Promise<Response>;
}

/** A browser of a user who is signed in. */
export type Person = TestBrowser & { readonly userId: string };

/** Signs a user in with a new browser. On a busy machine a call may miss its deadline (5xx): then the user tries again. */
export async function signedIn({ url }: { readonly url: string }, name: string): Promise<Person> {
  let person: Person | undefined;
  await until(`${name} is signed in`, 30_000, async () => {
    const browser = testBrowser();
    const { response } = await browser.signIn(url, name);
    const answer = response.ok ? await browser.fetch(`${url}/v1/me`) : response;
    const text = await answer.text();
    if (answer.ok) person = Object.assign(browser, { userId: (JSON.parse(text) as { user_id: string }).user_id });
    else if (answer.status < 500) throw new Error(`${name} cannot sign in: ${answer.status} ${text}`);
    return answer.ok;
  });
  return person!;
}

export function testBrowser(): TestBrowser {
  const cookies = new Map<string, string>();

  function keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/; */);
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      const isOver = attributes.some(one => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one));
      if (isOver) cookies.delete(name);
      else cookies.set(name, value);
    }
  }

  const browser: TestBrowser = {
    cookies,
    async fetch(url, init = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = new Headers(init.headers);
      if (cookie) headers.set("cookie", cookie);
      const response = await fetch(url, { ...init, headers, redirect: "manual" });
      keep(response);
      return response;
    },
    async visit(url, init) {
      let [at, response] = [url, await browser.fetch(url, init)];
      for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 20; hops++) {
        at = new URL(response.headers.get("location")!, at).href;
        response = await browser.fetch(at);
      }
      return { response, url: at };
    },
    async signIn(gateway, username, returnTo) {
      const query = returnTo === undefined ? "" : `?returnTo=${encodeURIComponent(returnTo)}`;
      const form = await browser.visit(`${gateway}/login${query}`);
      const page = await form.response.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      if (!action) return form; // the provider has a session of this browser, or something was refused
      return browser.visit(new URL(action.replaceAll("&amp;", "&"), form.url).href, {
        method: "POST",
        body: new URLSearchParams({ username, password: username }),
      });
    },
    call: (gateway, path, init = {}) =>
      browser.fetch(`${gateway}${path}`, {
        ...init,
        headers: { "x-kenri-csrf": "1", origin: gateway, "sec-fetch-site": "same-origin", ...init.headers },
      }),
    send: (gateway, method, path, body = {}) =>
      browser.call(gateway, path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  };
  return browser;
}
