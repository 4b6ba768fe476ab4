/** What of the settings says who we are at NATS. A setting that could not be read is undefined. */
export interface NatsProofs {
  readonly natsUrl: string | undefined;
}

/** Whether every server of the list is named with `user:password@` or `token@` before its host. */
const namesUser = (urls: string) => urls.split(",").every(url => /^([a-z]+:\/\/)?[^/@]+@/i.test(url.trim()));

/** NATS without credentials: whoever reaches it reads and writes every event. */
export function natsProblems({ natsUrl }: NatsProofs): string[] {
  if (natsUrl === undefined) return [];
  const proofs = [namesUser(natsUrl)];
  return proofs.some(Boolean)
    ? []
    : ["NATS has no credentials with KENRI_ENV=production: write them in NATS_URL (user:password@ or token@ before the host)"];
}
