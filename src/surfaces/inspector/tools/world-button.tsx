import { useEffect } from "preact/hooks";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { Icon } from "../parts/icon.tsx";
import { saveFile } from "../parts/save-file.ts";

/** Saves the scene that is looked at as a world file: `toolcrib why TOOL --world FILE` answers the same anywhere. */
export function WorldButton({ query }: { readonly query: string }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const save = () =>
    run(async () => {
      const response = await api.open(query === "" ? "world" : `world?${query}`);
      saveFile(await response.blob(), "toolcrib-world.json");
      announce("Saved the world file");
    });
  useEffect(() => {
    if (failure !== null) announce(`Could not save the world file: ${failure}`);
  }, [failure, announce]);
  return (
    <button
      type="button"
      class="quiet"
      disabled={isBusy}
      onClick={save}
      title="This scene as a file, to ask it again elsewhere"
    >
      <Icon name="download" />
      World file
    </button>
  );
}
