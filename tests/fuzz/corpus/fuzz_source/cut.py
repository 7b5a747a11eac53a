def nÃ©t(x):
    return x + "Ã