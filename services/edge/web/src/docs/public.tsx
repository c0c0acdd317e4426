import { startPage } from "../shell/start";
import { PublicDocs } from "./PublicDocs";

startPage(<PublicDocs />);
