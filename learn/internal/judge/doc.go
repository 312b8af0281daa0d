// Package judge runs the checks of a step of the course and says which promise of the
// step's chapter a solution breaks.
//
// A [Step] has checks. A [Check] is one promise. It runs in a testing/synctest bubble,
// so that time is fake and a goroutine that waits forever is found. The parts of the
// other steps are those of the reference.
//
// [Main] is the function that the generated program calls. It receives a Step, and the
// functions of the solution and of the references. It prints a [record.Result] for each
// check as a line of JSON. A solution that panics, exits or does not end stops only this
// process: the command starts it again with the next check.
package judge
