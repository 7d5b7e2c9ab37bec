import { render } from "preact";
import "./style.css";
import { View } from "./view/View";

// The self-contained report: the same components, with the data inside the file.
const root = document.getElementById("app");
if (root) render(<View job={{ job: "view", title: document.title }} />, root);
