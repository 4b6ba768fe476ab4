import type { CallContext, Downstream } from "./downstream.ts";

/** The parts of a profile. Matchmaking's part comes with that system. */
export const parts = ["account", "entitlement", "matchmaking"] as const;
export type Part = (typeof parts)[number];

interface Account {
  readonly user_id: string;
  readonly display_name: string | null;
}

interface Entitlements {
  readonly user_id: string;
  readonly entitlements: readonly { readonly stock_keeping_unit: string; readonly status: string; readonly version: number }[];
  /** Set if there are more, at /v1/users/{user_id}/entitlements. */
  readonly next_cursor?: string;
}

/** The form of each part for a kind of client. */
export interface Shape {
  account(account: Account): unknown;
  entitlement(entitlements: Entitlements): unknown;
}

export const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["web", { account: account => account, entitlement: entitlements => entitlements }],
  // A game shows a name and the active entitlements, over a slow connection.
  [
    "game",
    {
      account: ({ user_id, display_name }) => ({ user_id, display_name }),
      entitlement: ({ user_id, entitlements, next_cursor }) => ({
        user_id,
        entitlements: entitlements
          .filter(one => one.status === "ACTIVE")
          .map(({ stock_keeping_unit, version }) => ({ stock_keeping_unit, version })),
        ...(next_cursor === undefined ? {} : { next_cursor }),
      }),
    },
  ],
]);

/** Reads the wanted parts in parallel. If one fails, the whole request fails and names it: half a profile would look like a whole one. */
export async function aggregate(services: Downstream, context: CallContext, userId: string, wanted: readonly Part[], shape: Shape) {
  const id = encodeURIComponent(userId);
  const sources: Partial<Record<Part, () => Promise<unknown>>> = {
    account: async () => shape.account(await services.ask<Account>("account", `/users/${id}`, context)),
    entitlement: async () => shape.entitlement(await services.ask<Entitlements>("entitlement", `/v1/users/${id}/entitlements`, context)),
  };
  const found = await Promise.all(
    wanted.flatMap(part => {
      const source = sources[part];
      return source ? [source().then(value => [part, value] as const)] : [];
    }),
  );
  return Object.fromEntries(found);
}
