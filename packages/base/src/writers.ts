/**
 * Writers for text that another party chose, one for each target: source code, data formats, shells, markup, terminals and
 * logs. Control characters, direction controls and other invisible characters reach no target as they are.
 *
 * @module @tenon/base/writers
 */
export {
  escapeYaml,
  hasYamlEscapes,
  writeCsvCell,
  writeJson,
  writeJsonMember,
  writeTomlString,
} from './redaction/writers/data-formats.js';
export { createPage, createRefusalPage, renderHtml } from './redaction/writers/html-page.js';
export { escapeMarkdown, escapeXml, writeScriptLiteral } from './redaction/writers/markup.js';
export {
  escapeForBash,
  isSafeForCmd,
  quoteForFish,
  quoteForPowerShell,
  quoteForShell,
  type Shell,
  shells,
  type WordPart,
  writeCommandLine,
  writeShellWord,
} from './redaction/writers/shells.js';
export {
  writeBlockComment,
  writeCommentLines,
  writeIdentifier,
  writeLineComment,
  writeLiteral,
  writeMemberName,
  writePatternText,
  writeStringLiteral,
  writeTemplateText,
} from './redaction/writers/source-code.js';
export { escapeForLog, escapeForTerminal } from './redaction/writers/terminal.js';
