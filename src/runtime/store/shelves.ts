import type { Shelf, Store } from "./store.ts";

/** What one person keeps in one project, on shelves of the store that the session is in. */
export interface Shelves {
  /** For this project. */
  ofProject(name: string): Shelf;
  /** For all projects of the person. */
  ofPerson(name: string): Shelf;
  /** For everybody: what nobody's words or habits can be read from. */
  ofAll(name: string): Shelf;
  /** Takes over what an older version kept elsewhere, once for all processes. */
  takeOverOnce(what: string, work: () => Promise<void>): Promise<void>;
}

export function createShelves(
  store: Pick<Store, "shelf">,
  { person, project }: { readonly person: string; readonly project: string },
): Shelves {
  const ofProject = (name: string): Shelf => store.shelf({ name, person, project });
  return {
    ofProject,
    ofPerson: (name) => store.shelf({ name, person, project: "" }),
    ofAll: (name) => store.shelf({ name, person: "", project: "" }),
    async takeOverOnce(what, work) {
      const taken = ofProject("taken-over");
      if ((await taken.get(what)) !== undefined) return;
      // Whoever does it twice at the same time puts the same values in the same places.
      await work();
      await taken.change(what, (before) => before ?? { at: Date.now() });
    },
  };
}
