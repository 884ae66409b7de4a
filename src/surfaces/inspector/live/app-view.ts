import { createContext } from "preact";
import { useContext } from "preact/hooks";

const IsApp = createContext(false);

export const AppViewProvider = IsApp.Provider;

/** Whether the page shows a running app: then nothing can be changed or answered here. */
export function useIsApp(): boolean {
  return useContext(IsApp);
}
