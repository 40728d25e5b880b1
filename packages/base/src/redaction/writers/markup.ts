import { createHiddenSearch, stripInvisible } from '../invisible-characters.js';
import { writeLiteral } from './source-code.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, in content and in quoted attributes. Removes invisible characters. */
export function escapeHtml(text: string): string {
  return removeHidden(text).replace(/[&<>"']/g, sign => ENTITIES[sign] ?? '');
}

/**
 * Escapes a text for XML. Removes characters that XML does not allow, and those that control a terminal or reorder its
 * text.
 */
export function escapeXml(text: string): string {
  return removeHidden(text).replace(/[&<>"]/g, sign => ENTITIES[sign] ?? '');
}

/** Escapes a text for one line of Markdown. It cannot become markup, HTML or another block. */
export function escapeMarkdown(text: string): string {
  return stripInvisible(text.replace(/\s+/g, ' '))
    .trim()
    .replace(/[\\`*_[\]<>|~&]/g, '\\$&')
    .replace(/^(\d*)([#+=.)-])/, '$1\\$2');
}

/** Writes a JSON value as an expression of JavaScript within a `<script>` of HTML. No text in it ends the script. */
export function writeScriptLiteral(value: unknown): string {
  return writeLiteral(value).replaceAll('<', '\\u003c');
}

const removeHidden = (text: string): string => text.replace(createHiddenSearch(), '');
