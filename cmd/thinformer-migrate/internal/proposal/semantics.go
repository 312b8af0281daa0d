package proposal

func (s *solver) resolveMeaning() bool { return false }
