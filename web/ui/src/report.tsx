import { render } from "preact";
import "./style.css";
import { Report } from "./view/Report";

// The self-contained report: the same components, with the data inside the file.
const root = document.getElementById("app");
if (root) render(<Report title={document.title} />, root);
