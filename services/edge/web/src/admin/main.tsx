import { startPage } from "../shell/start";
import { App } from "./App";

startPage(<App />);
