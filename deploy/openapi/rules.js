// Our own rules: every member and header has a description, and every request and answer of a partner has an example.

const MemberDescription = () => ({
  SchemaProperties(members, { report, location }) {
    for (const [name, schema] of Object.entries(members)) {
      if (!schema.description) {
        report({ message: `The member ${name} has no description.`, location: location.child([name]) });
      }
    }
  },
});

const HeaderDescription = () => ({
  Header(header, { report }) {
    if (!header.description) report({ message: "The header has no description." });
  },
});

/** JSON has no form for the bytes of a workbook. */
const Example = () => ({
  MediaType(media, { report }) {
    if (media.schema?.format === "binary") return;
    if (Object.keys(media.examples ?? {}).length === 0) report({ message: "There is no example." });
  },
});

export default function landpartner() {
  return {
    id: "landpartner",
    rules: {
      oas3: {
        "member-description": MemberDescription,
        "header-description": HeaderDescription,
        example: Example,
      },
    },
  };
}
