enum e { A };
 enum e { A = 2 };