import { render } from "preact";
import { App } from "./app";
import type { Data } from "./data";
import "./page.css";

const text = document.getElementById("data")?.textContent ?? "";
const place = document.getElementById("page");
if (place) render(<App data={JSON.parse(text) as Data} />, place);
