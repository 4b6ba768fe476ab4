/** Numbers that look random and are the same in every run: whole numbers from 0 to below the bound. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
