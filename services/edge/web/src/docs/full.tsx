import { Page } from "../shell/Page";
import { startPage } from "../shell/start";
import { FullReference } from "./FullReference";

startPage(
  <Page current="reference">
    <FullReference />
  </Page>,
);
