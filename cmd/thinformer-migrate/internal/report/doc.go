// Package report writes what the tool found, as text or as a patch. The order of the lines
// depends only on the program.
package report
