// Package fault changes the events of a watch and the body of a response.
//
// The input is a [Point], the request to which a fault applies, and the frames or
// the bytes that the server writes. The output is the changed frames or bytes.
//
//   - [Inject] puts the faults of a watch between the watch and its stream, in the
//     order in which they were set.
//   - A fault that is removed passes everything through. Data that it has held back
//     is sent first.
//   - Each fault has its own random numbers, so that a further fault does not change
//     the others.
//   - An action runs on the goroutine of the request. It may end the response by a
//     panic with http.ErrAbortHandler.
//   - Goroutines end with the watch.
//
// Which fault applies to which request is decided by package apitest.
package fault
