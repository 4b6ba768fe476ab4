import { useSyncExternalStore } from "react";

const query = "(max-width: 767px)";

/** On a phone tables become lists. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    heard => {
      const media = matchMedia(query);
      media.addEventListener("change", heard);
      return () => media.removeEventListener("change", heard);
    },
    () => matchMedia(query).matches,
  );
}
