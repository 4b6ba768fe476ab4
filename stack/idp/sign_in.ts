import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import type Provider from "oidc-provider";
import { messagePage, show, signInPage } from "./page.ts";
import { findUser, isPassword, pictureOf } from "./users.ts";

const longestForm = 8_192;

/** The sign-in page of the provider, and its form. */
export function signIn(provider: Provider): Middleware {
  return async (context, next) => {
    if (!/^\/interaction\/[\w-]+$/.test(context.path) || !["GET", "POST"].includes(context.method)) return next();
    const known = await provider.interactionDetails(context.req, context.res).catch(() => undefined);
    if (known === undefined || context.path !== `/interaction/${known.uid}`) return tooLate(context);
    if (context.method === "GET") return show(context, "Sign in", signInPage({ action: context.path }));

    const form = await readForm(context.req);
    const username = (form?.get("username") ?? "").trim();
    if (form === undefined || !isPassword(username, form.get("password") ?? "")) {
      context.status = 400;
      return show(context, "Sign in", signInPage({ action: context.path, username, error: "User or password is wrong." }));
    }
    context.redirect(await provider.interactionResult(context.req, context.res, { login: { accountId: username } }));
    context.status = 303;
  };
}

export const pictures: Middleware = async (context, next) => {
  const [, username = ""] = /^\/pictures\/(\w+)\.svg$/.exec(context.path) ?? [];
  const user = findUser(username);
  if (user === undefined) return next();
  context.type = "image/svg+xml";
  context.set({ "Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff" });
  context.body = pictureOf(user);
};

function tooLate(context: Context): void {
  context.status = 400;
  show(context, "Too late", messagePage("This sign-in is over", "Go back to the application and start again."));
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > longestForm) return undefined;
  }
  return new URLSearchParams(text);
}
