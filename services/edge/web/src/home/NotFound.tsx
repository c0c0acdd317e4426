// The page of an address without a page. The edge answers it with status 404.
import { Button } from "@mantine/core";
import { useText } from "../shell/language";
import { Page } from "../shell/Page";
import { Empty } from "../shell/states";
import { usePageTitle } from "../shell/title";
import { homeTexts } from "./texts";

export default function NotFound() {
  const t = useText(homeTexts);
  usePageTitle(t.notFound);
  return (
    <Page current={null}>
      <h1 className="lp-visually-hidden">{t.notFound}</h1>
      <Empty
        icon="search"
        title={t.notFound}
        action={
          <Button component="a" href="/">
            {t.toHome}
          </Button>
        }
      >
        {t.notFoundDetail}
      </Empty>
    </Page>
  );
}
