import { render } from "preact";
import { Page } from "./page.tsx";

const place = document.getElementById("page");
if (place !== null) render(<Page />, place);
