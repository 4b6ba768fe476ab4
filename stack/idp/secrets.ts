import { rmSync } from "node:fs";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import type { JWK } from "oidc-provider";
import { newPassword, readSecret, writeSecret } from "../secret_file.ts";

export interface IdpClient {
  clientId: string;
  clientSecret: string;
  cookieKey: string;
}

/** Made at the first start and kept: a gateway has the same secret after a restart. */
export function ensureClient(folder: string): IdpClient {
  if (readSecret(clientFile(folder)) === undefined) {
    const made: IdpClient = { clientId: "kenri", clientSecret: newPassword(), cookieKey: newPassword() };
    writeSecret(clientFile(folder), `${JSON.stringify(made, null, 2)}\n`);
  }
  return readClient(folder);
}

export function readClient(folder: string): IdpClient {
  return JSON.parse(readSecret(clientFile(folder)) ?? "") as IdpClient;
}

export async function signingKey(folder: string): Promise<JWK> {
  const kept = readSecret(keyFile(folder));
  if (kept !== undefined) return JSON.parse(kept) as JWK;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const made = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: newPassword() } as JWK;
  writeSecret(keyFile(folder), `${JSON.stringify(made)}\n`);
  return made;
}

/** The next start signs with a new key. */
export function forgetSigningKey(folder: string): void {
  rmSync(keyFile(folder), { force: true });
}

const clientFile = (folder: string) => join(folder, "client.json");
const keyFile = (folder: string) => join(folder, "signing_key.json");
