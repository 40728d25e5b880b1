/** Words that questions and definitions of tools use for the same thing. A line is one group. */
const GROUPS = `
add build create generate make new produce
append put save store write
display load open read show view
download fetch get obtain retrieve
discover find locate look lookup query search
clear delete drop erase remove
change edit modify replace set update
post publish send submit
browse enumerate list
execute launch run start
figure image photo picture
browser page site url web webpage website
document file
directory folder
convert transform translate
calculate compute evaluate
address location place
direction path route
email mail message
chart diagram graph plot
capture screenshot
summarize summary
calendar plan schedule
cost price
movie film
share stock
`;

/** Words that appear in most questions and say nothing about a tool. */
const FUNCTION_WORDS = `
a about after again all also am an and any are as at be because been before being below between both but by can could
did do does doing down during each few for from further had has have having he her here hers him his how i if in into is
it its itself just let me more most my need no nor not now of off on once only or other our out over own please same she
should so some such than that the their them then there these they this those through to too under until up use used
using very want was we were what when where which while who why will with would you your
`;

/** Returns the groups of words, split into words. */
export function readWordGroups(): readonly (readonly string[])[] {
  return GROUPS.trim()
    .split('\n')
    .map(line => line.split(' '));
}

/** Words that are not searched, unless a query has no other ones. */
export const functionWords: ReadonlySet<string> = new Set(FUNCTION_WORDS.trim().split(/\s+/));
