// Package brief truncates texts from outside, so that the size of errors, log
// lines and pages does not depend on what a server sends.
package brief
