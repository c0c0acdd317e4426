import { startPage } from "../shell/start";
import { Playground } from "./Playground";

startPage(<Playground />);
