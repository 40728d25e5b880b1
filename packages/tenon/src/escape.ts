/**
 * Writers for text that another party chose. The programs that `tenon generate cli` writes use them.
 *
 * @module tenon/escape
 */
export { escapeForTerminal, writeJson } from '@tenon/base/writers';
