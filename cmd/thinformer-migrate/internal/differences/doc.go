// Package differences finds the rows of the table of differences, in docs/migration.md, that
// a program touches: the uses of names of client-go that behave differently here. It finds
// only rows that a use proves; a program can depend on others, such as the order of events.
package differences
