import { createContext } from "preact";
import { useContext } from "preact/hooks";

const IsApp = createContext(false);

export const AppViewProvider = IsApp.Provider;

/** Whether a running app is looked at: then nothing can be changed or answered here. */
export function useIsApp(): boolean {
  return useContext(IsApp);
}
