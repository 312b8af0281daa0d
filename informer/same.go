package informer

// Same reports whether a and b look at one informer: For hands out a
// SharedInformer of its own to each who asks, and a factory's Informers has
// others again.
func Same(a, b AnyInformer) bool {
	one, ok := a.(interface{ identity() any })
	other, too := b.(interface{ identity() any })
	if ok && too {
		return one.identity() == other.identity()
	}
	return a == b
}

func (i *SharedInformer[T]) identity() any { return i.shared }
