// want: ShutDown wakes every Get: after ShutDown with three waiting workers and a delayed key, a Get that waits is not woken
package workqueue

func (q *queue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shutDown = true
	q.changed.Signal()
}
