/** Example of a policy file, for help texts. The first rule that matches decides. */
export const POLICY_EXAMPLE = `
Policy file, such as policy.json:
  { "rules": [
      { "deny": "fs/write_*", "because": "files are read-only here" },
      { "allow": "fs/*" }
  ] }`;
