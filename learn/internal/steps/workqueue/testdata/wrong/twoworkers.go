// want: a key is with one worker at a time: after Add of shop/a while a worker processes it
package workqueue

// add does not look at processing.
func (q *queue) add(key string) {
	if q.shutDown || q.dirty[key] {
		return
	}
	q.dirty[key] = true
	q.push(key)
}
