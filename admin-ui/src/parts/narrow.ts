import { useSyncExternalStore } from "react";

const query = "(max-width: 767px)";

/** On a phone tables become lists. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    listener => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}
