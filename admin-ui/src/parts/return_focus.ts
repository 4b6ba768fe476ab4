import { useState } from "react";

/** Where the focus was when this appeared, to go back there after. A field that takes the focus as it appears hides it from the dialog. */
export function useReturnFocus(): () => HTMLElement | true {
  const [opener] = useState(() => document.activeElement);
  return () => (opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : true);
}
