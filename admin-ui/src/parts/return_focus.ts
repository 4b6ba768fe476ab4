import { useState } from "react";

/** The element that had the focus before the dialog opened. An autofocus field would hide it from the dialog library. */
export function useReturnFocus(): () => HTMLElement | true {
  const [opener] = useState(() => document.activeElement);
  return () => (opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : true);
}
