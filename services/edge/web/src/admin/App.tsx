// The admin page: the sections for a signed-in admin, otherwise the sign-in form.
import "../shell/fields.css";
import "./dialogs.css";
import { ActionIcon, Menu } from "@mantine/core";
import { useState } from "react";
import type { Admin } from "../api/types";
import { Icon } from "../shell/icons";
import { useText } from "../shell/language";
import { mountPage } from "../shell/mount";
import { Page } from "../shell/Page";
import { ErrorNotice, Loading } from "../shell/states";
import { shellTexts } from "../shell/texts";
import { usePageTitle } from "../shell/title";
import { AdminTheme } from "./AdminTheme";
import styles from "./App.module.css";
import { AccountDialog, type AccountTask } from "./account/AccountDialogs";
import { InvitationScreen } from "./account/Invitation";
import { EnrolmentScreen, SessionExpiredDialog, SetupScreen, SignInScreen } from "./account/SignIn";
import { accountTexts } from "./account/texts";
import { AuditSection } from "./audit/AuditSection";
import { BillsSection } from "./bills/BillsSection";
import { KeyPage } from "./keys/KeyPage";
import { KeysSection } from "./keys/KeysSection";
import { PartnerPage } from "./partners/PartnerPage";
import { PartnersSection } from "./partners/PartnersSection";
import { PlansSection } from "./plans/PlansSection";
import { address, SECTIONS, type Section, useInvitationToken, useRoute } from "./route";
import { SessionProvider, useHasRole, useSession } from "./session";
import { SettingsSection } from "./settings/SettingsSection";
import { TeamSection } from "./team/TeamSection";
import { adminTexts } from "./texts";
import { UsageSection } from "./usage/UsageSection";

function App() {
  return (
    <AdminTheme>
      <SessionProvider>
        <SessionRouter />
      </SessionProvider>
    </AdminTheme>
  );
}

function SessionRouter() {
  const { state, refresh } = useSession();
  const t = useText(adminTexts);
  const { section } = useRoute();
  usePageTitle(...(state.kind === "signed_in" ? [t[section]] : []), useText(shellTexts).admin);
  const invitation = useInvitationToken();
  if (invitation !== null && (state.kind === "signed_out" || state.kind === "signed_in")) {
    return <InvitationScreen key={invitation} token={invitation} />;
  }
  switch (state.kind) {
    case "unknown":
      return (
        <Page current="admin">
          {state.error === null ? <Loading /> : <ErrorNotice error={state.error} onRetry={() => void refresh()} />}
        </Page>
      );
    case "setup":
      return <SetupScreen />;
    case "signed_out":
      return <SignInScreen error={state.error} />;
    case "signed_in":
      return state.mustEnrol ? <EnrolmentScreen admin={state.admin} /> : <SignedInPage admin={state.admin} />;
  }
}

function SignedInPage({ admin }: { admin: Admin }) {
  const { section, item } = useRoute();
  return (
    <Page current="admin" isWide controls={<AccountMenu admin={admin} />} navigation={<Sections current={section} />}>
      <SectionContent section={section} item={item} />
      <SessionExpiredDialog />
    </Page>
  );
}

function SectionContent({ section, item }: { section: Section; item: string | null }) {
  switch (section) {
    case "keys":
      return item === null ? <KeysSection /> : <KeyPage key={item} id={item} />;
    case "usage":
      return <UsageSection />;
    case "bills":
      return <BillsSection />;
    case "partners":
      return item === null ? <PartnersSection /> : <PartnerPage key={item} id={item} />;
    case "plans":
      return <PlansSection />;
    case "audit":
      return <AuditSection />;
    case "team":
      return <TeamSection />;
    case "settings":
      return <SettingsSection />;
  }
}

function Sections({ current }: { current: Section }) {
  const t = useText(adminTexts);
  const isOperator = useHasRole("operator");
  const mayManageTeam = useHasRole("owner");
  const isHidden: Partial<Record<Section, boolean>> = {
    audit: !isOperator,
    settings: !isOperator,
    team: !mayManageTeam,
  };
  const shown = SECTIONS.filter((section) => !isHidden[section]);
  return (
    <nav className={styles.sections} aria-label={t.sections}>
      {shown.map((section) => (
        <a key={section} href={address(section)} aria-current={section === current ? "page" : undefined}>
          {t[section]}
        </a>
      ))}
    </nav>
  );
}

function AccountMenu({ admin }: { admin: Admin }) {
  const t = useText(adminTexts);
  const own = useText(accountTexts);
  const { signOut } = useSession();
  const [error, setError] = useState<unknown>(null);
  const [task, setTask] = useState<AccountTask | null>(null);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`${t.account}, ${admin.email}`}>
            <Icon name="account" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown maw="20rem">
          <div className={styles.account}>
            <strong>{admin.email}</strong>
            <span>{t.roles[admin.role]}</span>
            <span>{t.roleNotes[admin.role]}</span>
          </div>
          {error !== null && <ErrorNotice error={error} />}
          <Menu.Divider />
          {!admin.single_sign_on && (
            <>
              <Menu.Item onClick={() => setTask("password")}>{own.changePassword}</Menu.Item>
              <Menu.Item onClick={() => setTask(admin.has_totp ? "remove" : "enrol")}>
                {admin.has_totp ? own.remove : own.enrol}
              </Menu.Item>
              <Menu.Divider />
            </>
          )}
          <Menu.Item closeMenuOnClick={false} onClick={() => signOut().catch(setError)}>
            {t.signOut}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {task !== null && <AccountDialog task={task} onClose={() => setTask(null)} />}
    </>
  );
}

mountPage(<App />);
