// want: all methods can be called at the same time: a write must compare and add with one lock
package deltafifo

// locked has no lock.
func (q *queue) locked(f func()) error {
	f()
	q.changed.Broadcast()
	return nil
}
