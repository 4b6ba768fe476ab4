import Provider, { type ClientMetadata, type Configuration, interactionPolicy, type JWK } from "oidc-provider";
import { messagePage, show, signOutPage } from "./page.ts";
import { pictures, signIn } from "./sign_in.ts";
import { claimsOf, findUser } from "./users.ts";

export interface ProviderFacts {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Signs the cookies. */
  cookieKey: string;
  /** Signs the tokens. */
  signingKey: JWK;
}

/** An OpenID provider with one client and a few users. Sessions and codes are in memory: a restart deletes them. */
export function makeProvider(facts: ProviderFacts): Provider {
  const provider = new Provider(facts.issuer, configuration(facts));
  provider.use(pictures);
  provider.use(signIn(provider));
  return provider;
}

function configuration({ issuer, clientId, clientSecret, cookieKey, signingKey }: ProviderFacts): Configuration {
  return {
    clients: [kenri(clientId, clientSecret)],
    jwks: { keys: [signingKey] },
    cookies: { keys: [cookieKey] },
    scopes: ["openid", "profile", "email"],
    claims: { openid: ["sub"], profile: ["name", "picture", "roles"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false, // the claims are in the ID token too, not only at userinfo
    pkce: { required: () => true },
    responseTypes: ["code"],
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (context, form) => show(context, "Sign out", signOutPage(form)),
        postLogoutSuccessSource: async context => show(context, "Signed out", messagePage("Signed out", "You are signed out.")),
      },
    },
    interactions: { policy: signInOnly() },
    ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 86_400, IdToken: 3600, Interaction: 3600, Session: 86_400 },
    findAccount: async (_, username) => {
      const user = findUser(username);
      return user && { accountId: username, claims: async () => claimsOf(issuer, username, user) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, params, provider } = oidc;
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope(String(params?.scope ?? "openid"));
      await grant.save();
      return grant;
    },
    renderError: async (context, { error, error_description }) =>
      show(context, "Refused", messagePage("This request is refused", error_description ? `${error}: ${error_description}` : error)),
  };
}

/** A native client may redirect to any port of loopback and to no other host; the path is fixed. */
function kenri(clientId: string, clientSecret: string): ClientMetadata {
  return {
    client_id: clientId,
    client_secret: clientSecret,
    application_type: "native",
    grant_types: ["authorization_code"],
    response_types: ["code"],
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    post_logout_redirect_uris: ["http://127.0.0.1/", "http://localhost/"],
  };
}

/** No consent page: the client is our own. */
function signInOnly() {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}
